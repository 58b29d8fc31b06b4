import { PLUGIN_KINDS } from '@bellwether/plugin';
import { DOCTOR_CHECKS } from '../../../extensions/commands';
import { withApplication, withDatabase } from '../context';
import type { CommandResult } from '../../infrastructure/commands';
import { passwordFigures } from '../../auth';
import { BucketCheck, S3Connection } from '../../files';
import { chainFigures } from '../../infrastructure/audit';
import { type Config, EXTENSIONS } from '../../infrastructure/config';
import {
  checkAddress,
  checkClock,
  checkDatabase,
  checkDisk,
  checkSecrets,
  checkVectors,
  checkVersions,
  type DoctorCheck,
  type Finding,
  worstOf,
} from '../../infrastructure/findings';
import { isUsable, type OpenDatabase, schemaStatus } from '../../infrastructure/postgres';
import { SecretsService } from '../../infrastructure/secrets';

const ENGINES = {
  server: 'a database server',
  embedded: 'the embedded database',
  shared: 'the embedded database of a running server',
} as const;

/** `doctor`: the first diagnosis of a broken installation. */
export const examine = (config: Config): Promise<CommandResult> =>
  withDatabase(config, async (database) => {
    const schema = await checkSchema(database);
    const findings = await findingsOf(database, config, schema.ok);
    const checks = [
      { name: 'configuration', ok: true, text: `ok (${config.env}, ${ENGINES[database.engine]})`, data: config.env },
      extensionsOf(config),
      pluginsOf(config),
      schema,
      checkRowSecurity(database, config),
      await checkPasswords(database, schema.ok),
      await checkAudit(database, schema.ok),
      ...(await checksOfExtensions(database, config, schema.ok)),
      policyOf(config),
    ];
    const lines = [...checks.map(({ name, text }) => `${name}: ${text}`), ...findings.map(lineOf)];
    return {
      text: lines.join('\n'),
      data: {
        env: config.env,
        engine: database.engine,
        ...Object.fromEntries(
          checks.slice(1).map(({ name, data }) => [name.toLowerCase().replaceAll(/[ .]/g, '_'), data]),
        ),
        findings,
      },
      ok: checks.every(({ ok }) => ok) && worstOf(findings) !== 'error',
    };
  });

/** The findings of the page "Health" that need no running service. */
async function findingsOf(
  database: OpenDatabase,
  config: Config,
  schemaIsCurrent: boolean,
): Promise<readonly Finding[]> {
  return [
    await checkDatabase(database),
    await checkClock(database),
    await checkVectors(database, null),
    // Needs the tables of the current schema.
    ...(schemaIsCurrent ? [await secretsFinding(config)] : []),
    await checkDisk(config.database.dataDir),
    ...(await new BucketCheck(new S3Connection(config)).check()),
    ...checkAddress(config.http.publicUrl),
    checkVersions(),
  ];
}

function lineOf({ code, state, text, next }: Finding): string {
  const name = code.split('.')[0];
  return `${name}: ${state === 'ok' ? '' : `${state.toUpperCase()}: `}${text}${next === null ? '' : ` ${next}`}`;
}

const secretsFinding = (config: Config): Promise<Finding> =>
  withApplication(config, 'none', async (context) => checkSecrets(await context.get(SecretsService).status()));

async function checkSchema({ dataSource }: OpenDatabase): Promise<DoctorCheck> {
  const status = await schemaStatus(dataSource);
  const { applied, pending, unknown } = status;
  const ok = isUsable(status);
  const newer = unknown.length === 0 ? '' : `, ${unknown.length} of them of a newer build`;
  const text = ok
    ? `current (${applied.length} migrations${newer})`
    : `not current, ${pending.length} pending, ${unknown.length} unknown; see db:status`;
  return { name: 'schema', ok, text, data: ok };
}

/** Advice, not a failure: repositories bind every query to an organization without it, too. */
function checkRowSecurity({ rowSecurity, login }: OpenDatabase, { database }: Config): DoctorCheck {
  const name = 'row-level security';
  if (!rowSecurity.enforced) {
    const { reason, commands } = rowSecurity;
    const advice = commands.length === 0 ? '' : `. As a role that may create roles, run: ${commands.join('; ')};`;
    return { name, ok: true, text: `off, ${reason}${advice}`, data: { enforced: false, reason, commands } };
  }
  const { weaknesses } = rowSecurity;
  const form = database.url !== null && database.ownerUrl !== null ? 'a login for the owner' : 'one login';
  const could = weaknesses.length === 0 ? '' : ` (${login} ${weaknesses.join(', ')})`;
  return { name, ok: true, text: `on, with ${form}${could}`, data: { enforced: true, weaknesses } };
}

async function checksOfExtensions(
  database: OpenDatabase,
  { extensions }: Config,
  schemaIsCurrent: boolean,
): Promise<DoctorCheck[]> {
  const checks: DoctorCheck[] = [];
  for (const [extension, check] of DOCTOR_CHECKS) {
    if (extensions.includes(extension)) checks.push(await check(database, schemaIsCurrent));
  }
  return checks;
}

/** A password of another system is a way in that its owner may have used elsewhere. */
async function checkPasswords({ dataSource }: OpenDatabase, schemaIsCurrent: boolean): Promise<DoctorCheck> {
  const name = 'passwords of LAMB';
  if (!schemaIsCurrent) return { name, ok: false, text: 'not checked', data: null };
  const figures = await passwordFigures(dataSource);
  const parts = figures.map(
    ({ organization, passwords, until }) => `${passwords} in ${organization} until ${until.toISOString().slice(0, 10)}`,
  );
  const text = parts.length === 0 ? 'none' : `${parts.join(', ')}; each works once`;
  return { name, ok: true, text, data: figures };
}

/** Only a process that serves seals entries: overdue ones are no failure by themselves. */
async function checkAudit({ dataSource }: OpenDatabase, schemaIsCurrent: boolean): Promise<DoctorCheck> {
  const name = 'audit log';
  if (!schemaIsCurrent) return { name, ok: false, text: 'not checked', data: null };
  const figures = await chainFigures(dataSource);
  const { chains, broken, last_verified, overdue } = figures;
  const verified = last_verified === null ? 'never verified' : `last verified ${last_verified.toISOString()}`;
  const waiting = overdue === 0 ? '' : `, ${overdue} entries wait for a running server to seal them`;
  const text =
    broken === 0
      ? `organizations with entries: ${chains}, ${verified}${waiting}`
      : `not intact in ${broken} of ${chains} organizations, ${verified}${waiting}; run audit:verify`;
  return { name, ok: broken === 0, text, data: figures };
}

const extensionsOf = ({ extensions }: Config): DoctorCheck => {
  const text = extensions.length === EXTENSIONS.length ? 'all' : extensions.join(', ') || 'none';
  return { name: 'extensions', ok: true, text, data: extensions };
};

/** A plugin that cannot be used has stopped the command before. */
function pluginsOf({ plugins }: Config): DoctorCheck {
  const data = plugins.map(({ source, name, version, ...plugin }) => ({
    source,
    name,
    version,
    brings: PLUGIN_KINDS.flatMap((kind) => plugin[kind].map(({ definition }) => `${definition.name} (${kind})`)),
    replaces: plugin.replaces,
  }));
  const lines = data.map(
    ({ name, version, brings, replaces }) =>
      `${name} ${version ?? 'without a version'}: ${brings.join(', ')}${replaces.length === 0 ? '' : `; replaces the service's ${replaces.join(', ')}`}`,
  );
  return { name: 'plugins', ok: true, text: lines.join('; ') || 'none', data };
}

function policyOf({ migration }: Config): DoctorCheck {
  const meaning = { manual: 'on request only', on_access: 'when they are read, run or changed' }[migration.policy];
  const text = `${migration.policy} (assistants of older versions are rewritten ${meaning})`;
  return { name: 'migration policy', ok: true, text, data: migration.policy };
}
