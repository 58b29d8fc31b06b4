// The Helm chart, rendered by Helm itself.
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { registerDatabaseCommands } from '../../src/cli/database.commands';
import { VENDORS } from '../../src/connectors';
import { environmentVariables, loadConfig } from '../../src/infrastructure/config';
import { imageEnvironment } from '../support/containers';
import { Helm, helmProgram, type Manifest } from '../support/helm';
import { structureProblems } from '../support/kubernetes-types';

const ROOT = join(__dirname, '../..');
const program = helmProgram();
const helm = new Helm(program ?? '');

const only = (manifests: readonly Manifest[], kind: string, name = 'bw-bellwether'): Manifest => {
  const found = manifests.filter((each) => each.kind === kind && each.metadata.name === name);
  expect([kind, found.length]).toEqual([kind, 1]);
  return found[0] as Manifest;
};
const podsOf = (manifests: readonly Manifest[]): any[] =>
  manifests.filter(({ kind }) => kind === 'Deployment' || kind === 'Job').map(({ spec }) => spec.template.spec);

const SECRETS: Readonly<Record<string, string>> = {
  DATABASE_URL: 'postgres://bellwether@db.example.edu/bellwether',
  SECRETS_KEY: `1:${randomBytes(32).toString('hex')}`,
  METRICS_TOKEN: 'm'.repeat(32),
};
/** The environment of a container: of the image, and of the manifest with values for its secrets. */
const environmentOf = (container: any): Record<string, string> => ({
  ...imageEnvironment(),
  ...Object.fromEntries(
    container.env.map(({ name, value }: { name: string; value?: string }) => [name, value ?? SECRETS[name]]),
  ),
});

const EVERYTHING = {
  metrics: { serviceMonitor: { enabled: true } },
  secretEnvironment: { METRICS_TOKEN: { name: 's', key: 'token' } },
};
const ONE_REPLICA = { autoscaling: { enabled: false }, replicaCount: 1 };
const CUSTOM_METRICS = 'custom.metrics.k8s.io/v1beta1';

// CI has a machine where Helm runs: nothing is left out there.
(program === null && !process.env.CI ? describe.skip : describe)('the Helm chart', () => {
  const plain = (): Manifest[] => helm.render();

  it('passes the lint of Helm', () => {
    expect(helm.lint()).toContain('1 chart(s) linted, 0 chart(s) failed');
  });

  it('renders what Kubernetes accepts, by the types of its API', () => {
    const all = [
      ...plain(),
      ...helm.render(EVERYTHING, [CUSTOM_METRICS]),
      ...helm.render({ ...ONE_REPLICA, persistence: { enabled: false } }),
      ...helm.render({ config: { FILES_STORE: 's3', S3_BUCKET: 'files' }, persistence: { enabled: false } }),
      ...helm.render({ ...ONE_REPLICA, persistence: { accessModes: ['ReadWriteOnce'], storageClass: '-' } }),
      ...helm.render({
        networkPolicy: { databaseTo: [{ ipBlock: { cidr: '10.0.0.5/32' } }] },
        tolerations: [{ key: 'a', operator: 'Exists' }],
        affinity: { nodeAffinity: {} },
        imagePullSecrets: [{ name: 'a' }],
      }),
    ];
    expect(new Set(all.map(({ kind }) => kind)).size).toBe(9);
    const broken = structuredClone(only(plain(), 'Deployment'));
    broken.spec.template.spec.containers[0].livenessProbe.httpGet.prot = 'http';
    expect(structureProblems([broken])).toEqual([
      expect.stringContaining("'\"prot\"' does not exist in type 'HTTPGetAction'"),
    ]);
    expect(structureProblems(all)).toEqual([]);
  });

  it('probes addresses that the service has, on ports that the container names', () => {
    const { paths } = JSON.parse(readFileSync(join(ROOT, 'docs/reference/openapi.json'), 'utf8')) as { paths: object };
    const [container] = only(plain(), 'Deployment').spec.template.spec.containers;
    const probes = [container.startupProbe, container.readinessProbe, container.livenessProbe];
    for (const { httpGet } of probes) {
      expect(Object.keys(paths)).toContain(httpGet.path);
      expect(container.ports).toContainEqual({ name: httpGet.port, containerPort: Number(imageEnvironment()['PORT']) });
    }
    expect(probes.map(({ httpGet }) => httpGet.path)).toEqual(['/health/live', '/health/ready', '/health/live']);
  });

  it('gives every container settings that exist, and with which the service starts in production', () => {
    const manifests = helm.render({ ...EVERYTHING, config: { EXTRACTION_MAX_BYTES: 100_000_000, SEED_DEMO: false } });
    const known = environmentVariables(VENDORS).map(({ name }) => name);
    const pods = podsOf(manifests);
    expect(pods).toHaveLength(2);
    for (const pod of pods) {
      const [container] = pod.containers;
      for (const { name } of container.env) expect(known).toContain(name);
      const config = loadConfig(environmentOf(container), VENDORS);
      expect(config.env).toBe('production');
      expect(config.metrics.port).toBe(9464);
      expect(config.extraction.maxBytes).toBe(100_000_000);
      expect(container.volumeMounts.map(({ mountPath }: { mountPath: string }) => mountPath)).toEqual([
        '/tmp',
        config.database.dataDir,
      ]);
    }
  });

  it('runs the core alone, or extensions by name, in every container', () => {
    for (const [names, on] of [
      ['none', []],
      ['scim,mcp', ['scim', 'mcp']],
    ] as const) {
      for (const pod of podsOf(helm.render({ config: { BELLWETHER_EXTENSIONS: names } }))) {
        expect(loadConfig(environmentOf(pod.containers[0]), VENDORS).extensions).toEqual(on);
      }
    }
  });

  it('holds no secret: each is named', () => {
    const manifests = helm.render(EVERYTHING);
    for (const pod of podsOf(manifests)) {
      const secret = pod.containers[0].env.filter(({ value }: { value?: string }) => value === undefined);
      expect(secret.map(({ name }: { name: string }) => name)).toEqual([
        'DATABASE_URL',
        'METRICS_TOKEN',
        'SECRETS_KEY',
      ]);
      for (const { valueFrom } of secret) expect(Object.keys(valueFrom)).toEqual(['secretKeyRef']);
    }
    expect(manifests.filter(({ kind }) => kind === 'Secret' || kind === 'ConfigMap')).toEqual([]);
  });

  it('runs everything as a user without rights on a file system that cannot be written', () => {
    for (const pod of podsOf(plain())) {
      expect(pod).toMatchObject({
        automountServiceAccountToken: false,
        enableServiceLinks: false,
        securityContext: { runAsNonRoot: true, runAsUser: 1000, seccompProfile: { type: 'RuntimeDefault' } },
      });
      for (const { securityContext } of pod.containers) {
        expect(securityContext).toEqual({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        });
      }
    }
  });

  it('lets a pod live until its streams have ended', () => {
    const pod = only(helm.render({ drain: { seconds: 300 } }), 'Deployment').spec.template.spec;
    const [container] = pod.containers;
    const drain = loadConfig(environmentOf(container), VENDORS).http.shutdownTimeoutMs / 1_000;
    expect(drain).toBe(300);
    const leave = Number(container.lifecycle.preStop.exec.command[1]);
    // One second for the last bytes of connections, and twice five for closing (src/serve.ts).
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(leave + drain + 11);
  });

  it('migrates before pods of a new version start, by a command that exists', () => {
    const job = only(plain(), 'Job', 'bw-bellwether-migrate');
    expect(job.metadata.annotations?.['helm.sh/hook']).toBe('pre-install,pre-upgrade');
    const cli = new Command();
    registerDatabaseCommands(cli, () => undefined);
    const [name, command] = job.spec.template.spec.containers[0].command;
    expect(name).toBe('bellwether');
    expect(cli.commands.map((each) => each.name())).toContain(command);
  });

  it('scales by metrics that exist, and by CPU where the cluster serves none of them', () => {
    const page = readFileSync(join(ROOT, 'docs/reference/metrics.md'), 'utf8');
    const gauges = [...page.matchAll(/^\| `(\w+)` +\| gauge /gm)].map(([, name]) => name);
    const custom = only(helm.render({}, [CUSTOM_METRICS]), 'HorizontalPodAutoscaler').spec.metrics;
    expect(custom.map(({ pods }: any) => pods.metric.name)).toEqual([
      'bellwether_completions_active',
      'bellwether_event_streams_open',
      'nodejs_eventloop_delay_p99_seconds',
    ]);
    for (const { pods } of custom) expect(gauges).toContain(pods.metric.name);
    const [resource, ...others] = only(plain(), 'HorizontalPodAutoscaler').spec.metrics;
    expect([resource.resource.name, others]).toEqual(['cpu', []]);
    expect(only(plain(), 'Deployment').spec).not.toHaveProperty('replicas');
  });

  it('asks the ingress for what nginx does in docker/', () => {
    const locations = readFileSync(join(ROOT, 'docker/nginx/locations.conf'), 'utf8');
    const { annotations = {} } = only(plain(), 'Ingress').metadata;
    const directives = Object.entries(annotations).map(([name, value]): [string, string] => [
      name
        .replace('nginx.ingress.kubernetes.io/', '')
        .replace('proxy-body-size', 'client_max_body_size')
        .replaceAll('-', '_'),
      value,
    ]);
    expect(directives).toHaveLength(7);
    for (const [directive, value] of directives) {
      expect(locations).toMatch(new RegExp(`^${directive} ${value}s?;$`, 'm'));
    }
  });

  it('opens the pods to the ingress and to Prometheus, and the way out to names, database and the web', () => {
    const policy = only(plain(), 'NetworkPolicy').spec;
    const pod = only(plain(), 'Deployment').spec.template;
    expect(pod.metadata.labels).toMatchObject(policy.podSelector.matchLabels);
    const ports = (rules: any[]): unknown[] => rules.map((rule) => rule.ports.map(({ port }: any) => port));
    expect(ports(policy.ingress)).toEqual([['http'], ['metrics']]);
    expect(ports(policy.egress)).toEqual([[53, 53], [5432], [443]]);
    expect(policy.ingress.every(({ from }: any) => from.length > 0)).toBe(true);
    const closed = only(helm.render({ networkPolicy: { webTo: [] } }), 'NetworkPolicy').spec;
    expect(ports(closed.egress)).toEqual([[53, 53], [5432]]);
    const migration = only(plain(), 'NetworkPolicy', 'bw-bellwether-migrate').spec;
    expect([migration.ingress, ports(migration.egress)]).toEqual([undefined, [[53, 53], [5432]]]);
    const job = only(plain(), 'Job', 'bw-bellwether-migrate').spec.template;
    expect(job.metadata.labels).toMatchObject(migration.podSelector.matchLabels);
    expect(job.metadata.labels).not.toMatchObject(policy.podSelector.matchLabels);
  });

  it('is scraped under the name that dashboard and alerts expect, with the token', () => {
    const manifests = helm.render(EVERYTHING);
    const monitor = only(manifests, 'ServiceMonitor');
    const service = only(manifests, 'Service');
    expect(service.metadata.labels).toMatchObject(monitor.spec.selector.matchLabels);
    expect(service.metadata.labels[monitor.spec.jobLabel]).toBe('bellwether');
    expect(service.spec.ports.map(({ name }: { name: string }) => name)).toContain(monitor.spec.endpoints[0].port);
    expect(monitor.spec.endpoints[0].authorization.credentials).toEqual({ name: 's', key: 'token' });
  });

  it.each([
    [{ publicUrl: '' }, 'publicUrl: the https address in browsers'],
    [{ image: { repository: '' } }, 'image.repository: where the image'],
    [{ replicacount: 3 }, 'replicacount'],
    [{ secretEnvironment: { SECRETS_KEY: null } }, 'secretEnvironment.SECRETS_KEY: name the Secret that holds it'],
    [{ secretEnvironment: { SECRETS_KEY: '1:00' } }, 'secretEnvironment'],
    [{ config: { DATABASE_URL: 'postgres://a' } }, 'config.DATABASE_URL: it is in secretEnvironment, too'],
    [{ config: { S3_SECRET_ACCESS_KEY: 'a' } }, 'config.S3_SECRET_ACCESS_KEY: it is a secret'],
    [{ config: { DATABASE_OWNER_URL: 'postgres://a' } }, 'config.DATABASE_OWNER_URL: it is a secret'],
    [{ networkPolicy: { ingressFrom: [] } }, 'ingressFrom'],
    [{ config: { SHUTDOWN_TIMEOUT: 1 } }, 'config.SHUTDOWN_TIMEOUT: the chart sets it'],
    [{ persistence: { enabled: false } }, 'several replicas need one volume or a bucket'],
    [{ persistence: { accessModes: ['ReadWriteOnce'] } }, 'several replicas need ReadWriteMany'],
  ])('refuses %j and says why', (values, reason) => {
    expect(() => helm.render(values)).toThrow(reason);
  });
});
