# SPDX-License-Identifier: BSL-1.0
"""condense as a package of Conan 2. An edge is a component behind the option of its name, condense/*:json=True."""

import os
import re

from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.files import copy, load

LIBRARIES = {"nlohmann_json": "[>=3.9 <4]", "libcurl": "[>=7.80 <9]", "range-v3": "[>=0.11 <1]", "xxhash": "[>=0.8 <1]",
             "hiredis": "[>=1.0 <2]", "sqlite3": "[>=3.34 <4]"}
EDGES = {"json": ["nlohmann_json"], "bpe": ["xxhash"], "curl": ["libcurl", "nlohmann_json"], "ranges": ["range-v3"],
         "store": ["xxhash"], "redis": ["hiredis", "xxhash"], "sqlite": ["sqlite3", "xxhash"], "replay": ["xxhash"]}


class Condense(ConanFile):
    name = "condense"
    description = "Keeps an LLM agent's conversation inside the model's context window"
    license = "BSL-1.0"
    package_type = "header-library"
    settings = "os", "arch", "compiler", "build_type"
    options = {edge: [True, False] for edge in EDGES}
    default_options = {**{edge: False for edge in EDGES}, "boost/*:header_only": True}
    exports_sources = "include/*.hpp", "LICENSE"
    no_copy_source = True

    def set_version(self):
        header = load(self, os.path.join(self.recipe_folder, "include", "condense", "version.hpp"))
        self.version = re.search(r'VERSION_STRING "(.+)"', header)[1]

    def chosen(self):
        return [edge for edge in EDGES if self.options.get_safe(edge)]

    def requirements(self):
        self.requires("boost/[>=1.70 <2]")
        for library in sorted({each for edge in self.chosen() for each in EDGES[edge]}):
            self.requires(f"{library}/{LIBRARIES[library]}")

    def package_id(self):
        self.info.clear()

    def validate(self):
        check_min_cppstd(self, 20)

    def package(self):
        copy(self, "*.hpp", os.path.join(self.source_folder, "include"), os.path.join(self.package_folder, "include"))
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))

    def package_info(self):
        self.cpp_info.set_property("cmake_target_name", "condense::all")
        packages = {each.ref.name for each in self.dependencies.direct_host.values()}  # without what [platform_requires] leaves to the system
        for part, libraries in {"condense": ["boost"], **{edge: EDGES[edge] for edge in self.chosen()}}.items():
            component = self.cpp_info.components[part]
            component.set_property("cmake_target_name", f"condense::{part}")
            component.requires = [] if part == "condense" else ["condense"]
            component.requires += [f"{each}::{'headers' if each == 'boost' else each}" for each in libraries if each in packages]
            component.bindirs = component.libdirs = []
