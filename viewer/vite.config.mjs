// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Builds the page as one file, dist/index.html: script and style stand in it, nothing is fetched.

import { defineConfig } from "vite";

// Moves the one script and the one style sheet of the build into the page. In a script `</script` would end it, and
// replacement patterns ($&) must not be seen: hence functions.
function oneFile() {
  return {
    name: "one-file",
    enforce: "post",
    generateBundle(_options, bundle) {
      const page = bundle["index.html"];
      for (const [name, part] of Object.entries(bundle)) {
        if (name.endsWith(".js")) {
          const code = part.code.replaceAll("</script", "<\\/script").replaceAll("<!--", "<\\!--");
          page.source = page.source.replace(/<script [^>]*src="[^"]*"[^>]*><\/script>/, "");
          page.source = page.source.replace("</body>", () => `<script type="module">${code.trim()}</script>\n</body>`);
        } else if (name.endsWith(".css")) {
          page.source = page.source.replace(
            /<link [^>]*rel="stylesheet"[^>]*>/,
            () => `<style>${part.source.trim()}</style>`,
          );
        } else continue;
        delete bundle[name];
      }
    },
  };
}

export default defineConfig({
  base: "./",
  plugins: [oneFile()],
  build: {
    target: "es2022",
    assetsInlineLimit: 1 << 20,
    cssCodeSplit: false,
    modulePreload: false,
    chunkSizeWarningLimit: 1000,
    reportCompressedSize: false,
    rollupOptions: { output: { inlineDynamicImports: true } },
  },
});
