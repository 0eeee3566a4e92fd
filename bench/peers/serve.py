"""Times what users of Python libraries would write, for `switchyard peers`.

Reads requests, lines of JSON, from its standard input and answers each with a line. The arrays of a
call lie in memory shared through descriptor 3. A library that cannot be imported is reported as
missing; the others serve.
"""

import gc
import importlib
import itertools
import json
import mmap
import os
import signal
import sys
import time
import warnings

for threads in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[threads] = "1"  # read when libraries are loaded

MODULES = {"numpy": "numpy_peer", "albucore": "albucore_peer"}
SHARED = 3


class Call:
    """A problem as an expression sees it. Images of rank 3 have no leading axis of length 1.

    ins, outs   arrays in the order of the op's arguments; a lookup table is the last input
    numbers     the op's numeric arguments, each a list: one number, or one per channel
    """

    def __init__(self, request, arrays):
        self.variant = request["variant"]
        self.numbers = request["numbers"]
        self.ins = [a for a, given in zip(arrays, request["arrays"]) if not given["output"]]
        self.outs = [a for a, given in zip(arrays, request["arrays"]) if given["output"]]
        self.rank = request["arrays"][0]["rank"]


class Server:
    def __init__(self, modules):
        self.modules = modules
        self.memory = None
        self.request = None
        self.offers = []
        self.bound = []

    def arrays(self, offsets):
        import numpy as np

        names = {"f32": "f4", "f64": "f8"}
        arrays = []
        for given, offset in zip(self.request["arrays"], offsets):
            letter = names.get(given["dtype"], f"{given['dtype'][0]}{int(given['dtype'][1:]) // 8}")
            array = np.ndarray(given["shape"], letter, self.memory, offset + given["first"],
                               given["strides"])
            arrays.append(array[0] if given["rank"] == 3 else array)
        return arrays

    def bind(self, offsets):
        call = Call(self.request, self.arrays(offsets))
        self.call = call
        bound = []
        for peer, module in self.modules.items():
            for text, bind in module.EXPRESSIONS.get(call.variant, []):
                function = bind(call)
                if function is not None:
                    bound.append((peer, text, function))
        self.bound = bound

    def open(self, request):
        self.bound, self.call = [], None  # their arrays hold on to the old memory
        if self.memory is not None:
            self.memory.close()
        self.memory = mmap.mmap(SHARED, request["bytes"])
        self.request = request
        self.bind([0] * len(request["arrays"]))
        return {"offers": [{"peer": peer, "text": text} for peer, text, _ in self.bound]}

    def place(self, request):
        self.bind(request["offsets"])
        return {}

    def run(self, request):
        results = self.bound[request["offer"]][2]()
        if results is not None:  # else it has written to the outputs
            results = results if isinstance(results, tuple) else (results,)
            for out, result in zip(self.call.outs, results):
                out[...] = result.reshape(out.shape) if hasattr(result, "reshape") else result
        return {}

    def time(self, request):
        function = self.bound[request["offer"]][2]
        function()
        calls = itertools.repeat(None, request["calls"])
        start = time.perf_counter_ns()
        for _ in calls:
            function()
        return {"ns": time.perf_counter_ns() - start}


def main():
    warnings.simplefilter("ignore")  # infinities are among the results that are wanted
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # ends with its parent
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what libraries print is no answer
    modules, missing = {}, []
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    for name, module in MODULES.items():
        try:
            modules[name] = importlib.import_module(module)
        except Exception as error:  # whatever an installation may raise
            missing.append(f"{name}: {str(error).strip().splitlines()[0]}")
    server = Server(modules)

    def answer(message):
        answers.write(json.dumps(message) + "\n")
        answers.flush()

    answer({"libraries": [{"name": n, "version": m.VERSION} for n, m in modules.items()],
            "missing": missing})
    gc.disable()
    for line in sys.stdin:
        request = json.loads(line)
        try:
            answer(getattr(server, request["do"])(request))
        except Exception as error:  # of the library: it goes to the report
            answer({"error": f"{type(error).__name__}: {error}"})


if __name__ == "__main__":
    main()
