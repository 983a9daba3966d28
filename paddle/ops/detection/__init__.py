"""Operators of object detection."""
