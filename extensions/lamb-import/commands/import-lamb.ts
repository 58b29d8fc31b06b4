import { invalid } from '@bellwether/kernel';
import { openLambSource, readLambPasswords } from '@bellwether/lamb-reader';
import { statSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { BadUsage, type CommandContext, type CommandResult } from '../../../src/infrastructure/commands';
import { LambImport } from '../lamb-import.service';
import { readAddressMapping } from '../metadata-references';
import { isSlug } from '../organization-settings';
import type { ImportChoices, ImportOptions } from '../plan/plan.types';
import { idsCsv, isClean, reportJson, reportText } from '../report-text';
import { rehearse, type RehearsalCommandOptions, wantedRehearsal } from './rehearse-lamb';

export interface LambOptions extends RehearsalCommandOptions {
  readonly files?: string;
  readonly dryRun?: boolean;
  readonly source: string;
  readonly org?: string;
  readonly inheritSystem?: boolean;
  readonly mapAddress?: readonly string[];
  readonly rename?: readonly string[];
  readonly disabledOwnersTo?: string;
  readonly stripPrefix?: boolean;
  readonly newIds?: boolean;
  readonly idsCsv?: string;
  readonly passwordsUntil?: string;
}

const SOURCE_NAME = /^[a-z0-9][a-z0-9._-]{0,62}$/;

function addressesOf(texts: readonly string[]): ImportChoices['addresses'] {
  const mappings = texts.map((text) => {
    const mapping = readAddressMapping(text);
    if (mapping === null) throw new BadUsage('--map-address: <there>=<here>, two http or https addresses');
    return mapping;
  });
  const there = new Set(mappings.map(({ from }) => from.href));
  if (there.size < mappings.length) throw new BadUsage('--map-address: the same address twice');
  return mappings;
}

function slugsOf(texts: readonly string[]): ImportChoices['slugs'] {
  const slugs = new Map<string, string>();
  for (const text of texts) {
    const at = text.lastIndexOf('=');
    const [there, here] = [text.slice(0, Math.max(0, at)), text.slice(at + 1)];
    if (there === '' || !isSlug(here)) {
      throw new BadUsage('--rename: <slug or id there>=<slug here>, of lower-case letters, digits and single hyphens');
    }
    if (slugs.has(there) || [...slugs.values()].includes(here)) throw new BadUsage(`--rename: ${there}=${here} twice`);
    slugs.set(there, here);
  }
  return slugs;
}

/** An end that is far away keeps a password of another system alive. */
const LONGEST_DAYS = 180;
const DAY_MS = 24 * 60 * 60_000;

function passwordsOf({ passwordsUntil: text }: LambOptions, file: string): ImportChoices['passwords'] {
  if (text === undefined) return null;
  const until = new Date(/^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T23:59:59Z` : NaN);
  const days = (until.getTime() - Date.now()) / DAY_MS;
  if (!(days > 0 && days <= LONGEST_DAYS + 1)) {
    throw new BadUsage(`--passwords-until: a date like 2027-03-31, from today to ${LONGEST_DAYS} days ahead`);
  }
  return { until, hashes: readLambPasswords(file) };
}

const choicesOf = (options: LambOptions, file: string): ImportChoices => ({
  inheritSystem: options.inheritSystem === true,
  addresses: addressesOf(options.mapAddress ?? []),
  slugs: slugsOf(options.rename ?? []),
  disabledOwnersTo: options.disabledOwnersTo?.trim().toLowerCase() ?? null,
  stripPrefix: options.stripPrefix === true,
  newIds: options.newIds === true,
  passwords: passwordsOf(options, file),
});

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

/** @throws {BadUsage} before anything is imported */
function assertWritable({ idsCsv: file, dryRun }: LambOptions): void {
  if (file === undefined) return;
  if (dryRun === true) throw new BadUsage('--ids-csv: a dry run gives no ids');
  if (isFolder(file) || !isFolder(dirname(file))) throw new BadUsage(`--ids-csv: ${file} cannot be written`);
}

function importOptions(options: LambOptions, { args, progress, signal }: CommandContext): ImportOptions {
  if (!SOURCE_NAME.test(options.source)) {
    throw new BadUsage('--source: lower-case letters, digits, dots, hyphens and underscores, at most 63');
  }
  const choices = choicesOf(options, args[0] ?? '');
  assertWritable(options);
  if (options.files !== undefined && !isFolder(options.files)) {
    throw invalid([{ path: '--files', message: `${options.files} is not a directory` }], 'Nothing was imported');
  }
  return {
    files: options.files ?? null,
    dryRun: options.dryRun === true,
    sourceName: options.source,
    organization: options.org ?? null,
    choices,
    progress,
    signal,
  };
}

export async function importLamb(options: LambOptions, context: CommandContext): Promise<CommandResult> {
  const chosen = importOptions(options, context);
  // Opened first: an unreadable file needs no database.
  const source = openLambSource(context.args[0] ?? '');
  const wanted = await wantedRehearsal(options, context);
  return context.withApplication(async (application) => {
    const report = await application.get(LambImport).run(source, chosen);
    if (options.idsCsv !== undefined) await writeFile(options.idsCsv, idsCsv(report));
    const imported = { text: reportText(report), data: reportJson(report), ok: isClean(report) };
    if (wanted === null || report.interrupted) return imported;
    const rehearsed = await rehearse(application, source, wanted, options, context);
    return {
      text: `${imported.text}\n\n${rehearsed.text}`,
      data: { ...imported.data, ...rehearsed.data },
      ok: imported.ok && rehearsed.ok,
    };
  });
}
