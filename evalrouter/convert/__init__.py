"""Between the SDK's types and the generated ones, one module a resource; nothing else knows the generated models."""
