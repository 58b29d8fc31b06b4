// Compiles src/ and migrations/ to dist/ with the Swagger plugin, which turns DTO types and doc comments into OpenAPI.
import { cpSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import ts from 'typescript';

const { before: swaggerPlugin } = createRequire(import.meta.url)('@nestjs/swagger/plugin');

const host = { ...ts.sys, onUnRecoverableConfigFileDiagnostic: (diagnostic) => report([diagnostic]) };
const config = ts.getParsedCommandLineOfConfigFile('tsconfig.build.json', {}, host);

function report(diagnostics) {
  console.error(
    ts.formatDiagnosticsWithColorAndContext(diagnostics, {
      getCanonicalFileName: (name) => name,
      getCurrentDirectory: ts.sys.getCurrentDirectory,
      getNewLine: () => '\n',
    }),
  );
  process.exit(1);
}

rmSync('dist', { recursive: true, force: true });
const program = ts.createProgram(config.fileNames, config.options);
const plugin = swaggerPlugin(
  { dtoFileNameSuffix: ['.dto.ts'], introspectComments: true, classValidatorShim: true },
  program,
);
const emitted = program.emit(undefined, undefined, undefined, false, { before: [plugin] });
const errors = [...ts.getPreEmitDiagnostics(program), ...emitted.diagnostics].filter(
  (diagnostic) => diagnostic.category === ts.DiagnosticCategory.Error,
);
if (errors.length > 0) report(errors);
cpSync('src/demo/content', 'dist/src/demo/content', { recursive: true });
