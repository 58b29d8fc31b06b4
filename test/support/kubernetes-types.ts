import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import type { Manifest } from './helm';

const FOLDER = join(__dirname, '../../node_modules/.cache/chart');

/** Modules of the package kubernetes-types, which is made from the OpenAPI document of Kubernetes. */
const MODULES: Readonly<Record<string, string>> = {
  Deployment: 'apps/v1',
  Job: 'batch/v1',
  Service: 'core/v1',
  PersistentVolumeClaim: 'core/v1',
  Ingress: 'networking/v1',
  NetworkPolicy: 'networking/v1',
  HorizontalPodAutoscaler: 'autoscaling/v2',
  PodDisruptionBudget: 'policy/v1',
};

/**
 * The compiler's complaints about manifests: fields that Kubernetes does not know, misses or types otherwise. Manifests of
 * kinds that Kubernetes does not define are left out.
 */
export function structureProblems(manifests: readonly Manifest[]): string[] {
  const known = manifests.filter(({ kind }) => kind in MODULES);
  const lines = known.map((manifest, at) => {
    const type = `import('kubernetes-types/${MODULES[manifest.kind]}').${manifest.kind}`;
    return `export const m${at}: ${type} = ${JSON.stringify(manifest)};`;
  });
  mkdirSync(FOLDER, { recursive: true });
  const file = join(FOLDER, `manifests-${process.pid}.ts`);
  writeFileSync(file, lines.join('\n'));
  try {
    const program = ts.createProgram([file], {
      strict: true,
      noEmit: true,
      skipLibCheck: true,
      types: [],
      lib: ['lib.es5.d.ts'],
      module: ts.ModuleKind.ESNext,
      moduleResolution: ts.ModuleResolutionKind.Bundler,
    });
    const found = [
      ...program.getOptionsDiagnostics(),
      ...program.getSemanticDiagnostics(),
      ...program.getSyntacticDiagnostics(),
    ];
    return found.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
  } finally {
    rmSync(file);
  }
}
