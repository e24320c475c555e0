"""What models really write, as programs of the bench: each prints a line that is known beforehand."""

NUMPY = "import numpy\nprint(numpy.arange(1000).sum())"
PANDAS = "import pandas\nprint(pandas.DataFrame({'a': range(1000)})['a'].sum())"
PLOT = "import matplotlib.pyplot as plt\nplt.plot([1, 3, 2])\nplt.show()\nprint(499500)"
PANDAS_AND_PLOT = ("import pandas\nimport matplotlib.pyplot as plt\nframe = pandas.DataFrame({'a': range(1000)})\nframe['a'].plot()\nplt.show()\n"
                   "print(frame['a'].sum())")

HEAVY = (("import numpy, a sum", NUMPY), ("import pandas, a sum", PANDAS), ("matplotlib, one plot shown", PLOT), ("pandas and a plot", PANDAS_AND_PLOT))
PRINTED = "499500\n"
