import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { GRACE_DAYS, OrganizationEndings, OrganizationsService } from '../organizations';
import type { Config } from '../infrastructure/config';
import { MAIL_LANGUAGES, type MailLanguage } from '../infrastructure/mail';
import { exportToFolder, OrganizationExports, zipStream } from '../privacy';
import { withApplication } from './context';
import { BadUsage, type CommandContext, type CommandResult } from '../infrastructure/commands';

export interface OrganizationExportOptions {
  readonly to: string;
}

export interface NoticeOptions {
  readonly language: string;
}

export interface EndOptions extends NoticeOptions {
  readonly graceDays: string;
}

const languageOf = ({ language }: NoticeOptions): MailLanguage | undefined =>
  MAIL_LANGUAGES.find((each) => each === language);

const WRONG_LANGUAGE = `--language must be one of ${MAIL_LANGUAGES.join(', ')}`;

/** @throws {BadUsage} with every problem */
function endingOf(options: EndOptions): { readonly graceDays: number; readonly language: MailLanguage } {
  const language = languageOf(options);
  const graceDays = Number(options.graceDays);
  const { least, most } = GRACE_DAYS;
  const isDays = Number.isInteger(graceDays) && graceDays >= least && graceDays <= most;
  if (language !== undefined && isDays) return { graceDays, language };
  const problems = [
    ...(isDays ? [] : [`--grace-days must be an integer from ${least} to ${most}`]),
    ...(language === undefined ? [WRONG_LANGUAGE] : []),
  ];
  throw new BadUsage(problems.join('\n'));
}

export const exportOrganization = (
  config: Config,
  { to }: OrganizationExportOptions,
  { args: [slug = ''] }: CommandContext,
): Promise<CommandResult> =>
  withApplication(config, 'every', async (context) => {
    const id = await context.get(OrganizationsService).idOf(slug);
    const exports = context.get(OrganizationExports);
    await exports.begin(null, id);
    const files = exports.files(id);
    if (to.endsWith('.zip')) await pipeline(zipStream(files), createWriteStream(to, { flags: 'wx', mode: 0o600 }));
    else await exportToFolder(files, to);
    return { text: `Wrote everything of ${slug} to ${to}.`, data: { id, slug, to } };
  });

export async function endOrganization(
  config: Config,
  options: EndOptions,
  { args: [slug = ''] }: CommandContext,
): Promise<CommandResult> {
  const ending = endingOf(options);
  return withApplication(config, 'every', async (context) => {
    const { id, eraseAfter } = await context.get(OrganizationEndings).end(null, slug, ending);
    const until = eraseAfter.toISOString();
    const text = `${slug} has ended and answers nobody. It is erased after ${until}; until then organizations:restore ${slug} brings it back.`;
    return { text, data: { id, slug, erase_after: until } };
  });
}

export async function restoreOrganization(
  config: Config,
  options: NoticeOptions,
  { args: [slug = ''] }: CommandContext,
): Promise<CommandResult> {
  const language = languageOf(options);
  if (language === undefined) throw new BadUsage(WRONG_LANGUAGE);
  return withApplication(config, 'every', async (context) => {
    const { id, suspended } = await context.get(OrganizationEndings).restore(null, slug, language);
    const state = suspended ? 'is restored, and suspended as before' : 'is restored and works again';
    return { text: `${slug} ${state}.`, data: { id, slug, suspended } };
  });
}
