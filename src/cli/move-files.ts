import { BlobInventory, BlobMove, type BlobTotals, type MoveReport, type StorageName, STORAGES } from '../files';
import type { Config } from '../infrastructure/config';
import { withApplication } from './context';
import { BadUsage, type CommandContext, type CommandResult } from '../infrastructure/commands';

export interface MoveOptions {
  readonly to: string;
  readonly dryRun?: boolean;
}

const MEGABYTE = 1024 * 1024;

const PLACE_WORDS: Readonly<Record<StorageName, string>> = { disk: 'on disk', s3: 'in the bucket' };

const amount = ({ files, bytes }: BlobTotals): string =>
  `${files} ${files === 1 ? 'file' : 'files'} (${(bytes / MEGABYTE).toFixed(1)} MB)`;

/** @throws {BadUsage} */
function placeOf({ files }: Config, { to }: MoveOptions): StorageName {
  const place = STORAGES.find((each) => each === to);
  if (place === undefined) throw new BadUsage(`--to must be one of ${STORAGES.join(', ')}`);
  if (files.s3.bucket === null) throw new BadUsage('S3_BUCKET must be set: files move to that bucket, or back from it');
  return place;
}

export async function moveFiles(
  config: Config,
  options: MoveOptions,
  { signal, progress }: CommandContext,
): Promise<CommandResult> {
  const to = placeOf(config, options);
  const hints =
    config.files.store === to ? [] : [`New uploads still go elsewhere: start the service with FILES_STORE=${to}.`];
  return withApplication(config, 'every', async (context) => {
    const move = context.get(BlobMove);
    if (options.dryRun === true) {
      const waiting = await move.waiting(to);
      const text = [`${amount(waiting)} would be moved. Nothing was changed.`, ...hints].join('\n');
      return { text, data: { to, dry_run: true, waiting } };
    }
    const report = await move.move(to, {
      signal,
      report: (done, total) => progress.report({ done, total, text: `files moved to ${to}` }),
    });
    const { complete, counts, bytes, troubles, left } = report;
    const data = { to, complete, ...counts, bytes, left, troubles };
    return { text: [...moveLines(report, to), ...hints].join('\n'), data, ok: isDone(report) };
  });
}

const isDone = ({ complete, counts: { missing, damaged, failed } }: MoveReport): boolean =>
  complete && missing + damaged + failed === 0;

function moveLines({ complete, counts, bytes, troubles, left }: MoveReport, to: StorageName): string[] {
  const elsewhere = PLACE_WORDS[to === 's3' ? 'disk' : 's3'];
  const named = troubles.map(({ outcome, path, reason }) => `  ${outcome}: ${path}: ${reason}`);
  const stopped = complete ? [] : ['Stopped before the end. Run the command again: it goes on with the rest.'];
  const rest = left.files === 0 ? `No file is left ${elsewhere}.` : `Still ${elsewhere}: ${amount(left)}.`;
  return [
    `Moved ${amount({ files: counts.moved, bytes })}: now ${PLACE_WORDS[to]}. ${rest}`,
    ...(named.length === 0 ? [] : [`Missing ${counts.missing}, damaged ${counts.damaged}, failed ${counts.failed}:`]),
    ...named,
    ...stopped,
  ];
}

export const checkFiles = (config: Config, { signal, progress }: CommandContext): Promise<CommandResult> =>
  withApplication(config, 'every', async (context) => {
    const found = await context
      .get(BlobInventory)
      .take(signal, (done, total) => progress.report({ done, total, text: 'files checked' }));
    const { complete, places, missing, paths } = found;
    const lines = [
      ...STORAGES.map((place) => `${PLACE_WORDS[place]}: ${amount(places[place])}`),
      missing === 0
        ? 'The bytes of every file are there.'
        : `The bytes of ${missing} ${missing === 1 ? 'file' : 'files'} are missing:`,
      ...paths.map((path) => `  ${path}`),
      ...(complete ? [] : ['Stopped before the end.']),
    ];
    return { text: lines.join('\n'), data: { ...found }, ok: complete && missing === 0 };
  });
