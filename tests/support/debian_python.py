# SPDX-FileCopyrightText: The trammel authors
# SPDX-License-Identifier: Apache-2.0
"""For tests that import a Debian package: where another python3 comes first in the path, they go on in Debian's own."""

import importlib.util
import os
import sys

DEBIAN = "/usr/bin/python3"


def require(module):
    """Runs this script anew by Debian's python where ours lacks the module. Tells whether it is there."""
    if importlib.util.find_spec(module) is not None:
        return True
    if os.path.exists(DEBIAN) and os.path.realpath(sys.executable) != os.path.realpath(DEBIAN):
        os.execv(DEBIAN, [DEBIAN, *sys.argv])
    return False
