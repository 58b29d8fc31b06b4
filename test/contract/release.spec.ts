// A release has one version, and says what it is.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';

const ROOT = join(__dirname, '../..');
const textOf = (file: string): string => readFileSync(join(ROOT, file), 'utf8');

interface Package {
  readonly name: string;
  readonly version: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}
const packageIn = (folder: string): Package => JSON.parse(textOf(join(folder, 'package.json'))) as Package;

const { version } = packageIn('.');
const FOLDERS = ['.', 'web', 'bench', ...readdirSync(join(ROOT, 'packages')).map((name) => join('packages', name))];

describe('the release', () => {
  it.each(FOLDERS)('has its version in %s, and in what that takes from other packages here', (folder) => {
    const { version: own, dependencies, devDependencies } = packageIn(folder);
    const here = Object.entries({ ...dependencies, ...devDependencies }).filter(([name]) =>
      name.startsWith('@bellwether/'),
    );
    expect([own, ...here]).toEqual([version, ...here.map(([name]) => [name, version])]);
  });

  it('has its version in the lock file, the chart and the OpenAPI document', () => {
    const lock = JSON.parse(textOf('package-lock.json')) as { version: string };
    const chart = load(textOf('deploy/helm/bellwether/Chart.yaml')) as { appVersion: string };
    const document = JSON.parse(textOf('docs/reference/openapi.json')) as { info: { version: string } };
    expect([lock.version, chart.appVersion, document.info.version]).toEqual([version, version, version]);
  });

  it('is in the list of changes, above all earlier ones and below what comes next', () => {
    const headings = [...textOf('CHANGELOG.md').matchAll(/^## (\S+)/gm)].map(([, name]) => name);
    expect(headings.slice(0, 2)).toEqual(['Unreleased', version]);
  });
});
