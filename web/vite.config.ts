/** The build of the dashboard: one page and one service worker, into the folder that the daemon serves. */
import { gzipSync } from "node:zlib";
import { defineConfig, type Plugin } from "vite";

/** The most that a browser may have to load, compressed, before it paints the first page. */
const FIRST_PAINT_LIMIT = 30_000;

/** Print how much the first paint takes, and fail the build if that is more than the limit. */
function firstPaint(): Plugin {
  return {
    name: "first-paint",
    apply: "build",
    generateBundle(_options, bundle) {
      const wanted = new Set<string>();
      const follow = (name: string): void => {
        const chunk = bundle[name];
        if (wanted.has(name) || chunk === undefined) return;
        wanted.add(name);
        if (chunk.type !== "chunk") return;
        chunk.imports.forEach(follow);
        chunk.viteMetadata?.importedCss.forEach(follow);
      };
      for (const [name, chunk] of Object.entries(bundle)) {
        if (chunk.type === "chunk" && chunk.isEntry && name !== "sw.js") follow(name);
      }
      const sizes = [...wanted].map((name) => {
        const file = bundle[name];
        const content = file?.type === "chunk" ? file.code : (file?.source ?? "");
        return gzipSync(content).length;
      });
      const total = sizes.reduce((sum, size) => sum + size, 0);
      console.log(`\nfirst paint: ${(total / 1000).toFixed(1)} kB gzip in ${wanted.size} files (limit ${FIRST_PAINT_LIMIT / 1000} kB)`);
      if (total > FIRST_PAINT_LIMIT) this.error(`the first paint takes ${total} bytes, more than ${FIRST_PAINT_LIMIT}`);
    },
  };
}

export default defineConfig({
  base: "./",
  esbuild: { jsx: "automatic", jsxImportSource: "preact", legalComments: "none" },
  plugins: [firstPaint()],
  build: {
    outDir: "../src/hark/api/static",
    emptyOutDir: true,
    target: "es2022",
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 600,
    rollupOptions: {
      input: { index: "index.html", sw: "src/worker/sw.ts" },
      output: {
        entryFileNames: (chunk) => (chunk.name === "sw" ? "sw.js" : "assets/[name]-[hash].js"),
      },
    },
  },
});
