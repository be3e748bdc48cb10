import { defineConfig } from "vitest/config";

export default defineConfig({
  esbuild: { jsx: "automatic", jsxImportSource: "preact" },
  test: { reporters: ["dot"], include: ["tests/**/*.test.ts"], environment: "happy-dom" },
});
