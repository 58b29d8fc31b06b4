import { isUuid, notFound } from '@bellwether/kernel';
import type { INestApplicationContext } from '@nestjs/common';
import { applyText, planText, rollbackText, statusText, verifyText } from './migration-text';
import { withApplication } from '../context';
import { BadUsage, type CommandContext, type CommandResult, type OutputOptions } from '../../infrastructure/commands';
import {
  type Batch,
  type FailedItem,
  batchView,
  itemView,
  MigrationBatches,
  MigrationPlanner,
  NEWEST_VERSION,
  organizationView,
  planView,
  rollbackView,
  TARGET_VERSIONS,
  type TargetVersion,
  type TaskControl,
  verifyView,
} from '../../migration';
import { OrganizationsService } from '../../organizations';
import type { Config } from '../../infrastructure/config';
import { processLabel } from '../../infrastructure/database';

export interface MigrateOptions extends OutputOptions {
  readonly dryRun?: boolean;
  readonly apply?: boolean;
  readonly org?: string;
  readonly to?: string;
  readonly batchSize: string;
  readonly resume?: string;
  readonly diffs: string;
}

export interface RollbackOptions extends OutputOptions {
  readonly assistant?: string;
  readonly force?: boolean;
}

const MOST_PER_CHUNK = 1_000;
const MOST_DIFFS = 1_000;
const MOST_ID = 2_147_483_647;
const RECENT = 10;

function whole(name: string, text: string, least: number, most: number): number {
  const value = Number(text);
  if (text.trim() === '' || !Number.isInteger(value) || value < least || value > most)
    throw new BadUsage(`${name}: a whole number from ${least} to ${most}`);
  return value;
}

function targetOf(text: string | undefined): TargetVersion {
  if (text === undefined) return NEWEST_VERSION;
  const found = TARGET_VERSIONS.find((version) => String(version) === text);
  if (found === undefined) throw new BadUsage(`--to: ${TARGET_VERSIONS.join(' or ')}`);
  return found;
}

const controlOf = ({ signal, progress }: CommandContext): TaskControl => ({
  signal,
  report: (state) => progress.report(state),
});

const worker = () => ({ label: `a command (${processLabel})`, actor: null });

async function organizationOf(context: INestApplicationContext, slug: string | undefined): Promise<string | null> {
  return slug === undefined ? null : context.get(OrganizationsService).idOf(slug);
}

function batchId(id: string | undefined): string {
  if (id === undefined || !isUuid(id)) throw notFound('Batch');
  return id;
}

const failureView = (item: FailedItem) => ({ ...itemView(item), name: item.name });

/** Adds the duration of the work in milliseconds, without the start of the command. */
async function timed<T>(work: Promise<T>): Promise<readonly [result: T, tookMs: number]> {
  const begun = performance.now();
  const result = await work;
  return [result, Math.round(performance.now() - begun)];
}

/** The answer of the HTTP API, with `batch` as the name of its id. */
function dataOf(of: Batch) {
  const { id: batch, ...told } = batchView(of);
  return { batch, ...told };
}

export function migrate(config: Config, options: MigrateOptions, command: CommandContext): Promise<CommandResult> {
  if ((options.dryRun === true) === (options.apply === true))
    throw new BadUsage('either --dry-run, which writes nothing, or --apply');
  if (
    options.resume !== undefined &&
    (options.dryRun === true || options.org !== undefined || options.to !== undefined)
  )
    throw new BadUsage('--resume goes with --apply, and takes --org and --to from the batch');
  return options.apply === true ? apply(config, options, command) : plan(config, options, command);
}

function plan(config: Config, options: MigrateOptions, command: CommandContext): Promise<CommandResult> {
  const listed = whole('--diffs', options.diffs, 0, MOST_DIFFS);
  const to = targetOf(options.to);
  return withApplication(config, 'every', async (context) => {
    const scope = { organizationId: await organizationOf(context, options.org), to };
    const made = await context.get(MigrationPlanner).plan(scope, listed, controlOf(command));
    const data = { batch: null, migrated: 0, ...planView(made) };
    return { text: planText(made), data, ok: made.complete };
  });
}

function apply(config: Config, options: MigrateOptions, command: CommandContext): Promise<CommandResult> {
  const batchSize = whole('--batch-size', options.batchSize, 1, MOST_PER_CHUNK);
  const to = targetOf(options.to);
  const work = async (context: INestApplicationContext): Promise<CommandResult> => {
    const scope = { organizationId: await organizationOf(context, options.org), to };
    const resume = options.resume === undefined ? {} : { resume: batchId(options.resume) };
    const batches = context.get(MigrationBatches);
    const request = { ...scope, batchSize, ...resume };
    const [{ batch, complete, before }, tookMs] = await timed(batches.apply(request, worker(), controlOf(command)));
    const failures = await batches.failures(batch.id);
    const data = {
      ...dataOf(batch),
      complete,
      resumed: before > 0,
      took_ms: tookMs,
      failures: failures.map(failureView),
    };
    return { text: applyText(batch, { complete, before }, failures), data, ok: complete && batch.failed === 0 };
  };
  return withApplication(config, 'every', work, { logWrites: options.json !== true });
}

export function rollBack(config: Config, options: RollbackOptions, command: CommandContext): Promise<CommandResult> {
  const id = batchId(command.args[0]);
  const force = options.force === true;
  const assistantId = options.assistant === undefined ? null : whole('--assistant', options.assistant, 1, MOST_ID);
  const work = async (context: INestApplicationContext): Promise<CommandResult> => {
    const batches = context.get(MigrationBatches);
    const going =
      assistantId === null
        ? batches.rollBack(id, force, worker(), controlOf(command)).then(({ report }) => report)
        : batches.rollBackOne(id, assistantId, force, worker());
    const [report, tookMs] = await timed(going);
    const batch = await batches.find(id);
    const { complete, editedCount, historyMissing } = report;
    const data = { ...dataOf(batch), result: rollbackView(report), complete, took_ms: tookMs };
    return {
      text: rollbackText(batch, report, force),
      data,
      ok: complete && historyMissing === 0 && (force || editedCount === 0),
    };
  };
  return withApplication(config, 'every', work, { logWrites: options.json !== true });
}

export function verify(config: Config, _options: object, command: CommandContext): Promise<CommandResult> {
  const id = batchId(command.args[0]);
  return withApplication(config, 'every', async (context) => {
    const going = context.get(MigrationBatches).verify(id, worker(), controlOf(command));
    const [{ batch, report }, tookMs] = await timed(going);
    const { complete, faultCount } = report;
    const data = { ...dataOf(batch), result: verifyView(report), complete, took_ms: tookMs };
    return { text: verifyText(batch, report), data, ok: complete && faultCount === 0 };
  });
}

export function status(
  config: Config,
  options: { readonly org?: string },
  command: CommandContext,
): Promise<CommandResult> {
  return withApplication(config, 'every', async (context) => {
    const organizationId = await organizationOf(context, options.org);
    const organizations = await context.get(MigrationPlanner).status(organizationId, command.signal);
    const batches = await context.get(MigrationBatches).recent(organizationId, RECENT);
    const data = {
      policy: config.migration.policy,
      organizations: organizations.map(organizationView),
      batches: batches.map(dataOf),
    };
    const complete = !command.signal.aborted;
    return {
      text: statusText(config.migration.policy, organizations, batches, complete),
      data: { ...data, complete },
      ok: complete,
    };
  });
}
