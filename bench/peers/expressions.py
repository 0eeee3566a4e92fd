"""How a Python peer lists what it computes."""


def registrar(expressions):
    """A decorator for binds that adds (text, bind) under each of its variants."""
    def expression(text, *variants):
        def register(bind):
            for variant in variants:
                expressions.setdefault(variant, []).append((text, bind))
            return bind
        return register
    return expression
