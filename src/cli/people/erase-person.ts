import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { invalid } from '@bellwether/kernel';
import type { CommandContext, CommandResult } from '../../infrastructure/commands';
import type { Config } from '../../infrastructure/config';
import { OrganizationsService } from '../../organizations';
import {
  ErasurePlans,
  Erasures,
  PersonExports,
  UNSHARED_CHOICES,
  type Unshared,
  exportToFolder,
  planText,
  reportText,
  zipStream,
} from '../../privacy';
import { withApplication } from '../context';

export interface ExportOptions {
  readonly org: string;
  readonly to: string;
}

export const exportPerson = (
  config: Config,
  { org, to }: ExportOptions,
  { args: [member = ''] }: CommandContext,
): Promise<CommandResult> =>
  withApplication(config, 'every', async (context) => {
    const organizationId = await context.get(OrganizationsService).idOf(org);
    const exports = context.get(PersonExports);
    const { userId, email } = await exports.begin(null, organizationId, member);
    const files = exports.files({ organizationId, userId });
    if (to.endsWith('.zip')) await pipeline(zipStream(files), createWriteStream(to, { flags: 'wx', mode: 0o600 }));
    else await exportToFolder(files, to);
    return { text: `Wrote the data of ${email} to ${to}.`, data: { user_id: userId, to } };
  });

export interface EraseOptions {
  readonly org: string;
  readonly dryRun?: boolean;
  readonly heir?: string;
  readonly unshared: string;
}

function choiceOf(text: string): Unshared {
  const found = UNSHARED_CHOICES.find((choice) => choice === text);
  if (found === undefined)
    throw invalid([{ path: 'unshared', message: `must be one of ${UNSHARED_CHOICES.join(', ')}` }]);
  return found;
}

export const erasePerson = (
  config: Config,
  { org, dryRun = false, heir, unshared }: EraseOptions,
  context: CommandContext,
): Promise<CommandResult> =>
  withApplication(config, 'every', async (application) => {
    const organizationId = await application.get(OrganizationsService).idOf(org);
    const [member = ''] = context.args;
    const wish = { organizationId, member, unshared: choiceOf(unshared), ...(heir === undefined ? {} : { heir }) };
    if (dryRun) {
      const plan = await application.get(ErasurePlans).plan(null, wish);
      return { ok: plan.problems.length === 0, text: planText(plan), data: { dry_run: true, plan } };
    }
    const erasures = application.get(Erasures);
    const { id } = await erasures.request(null, wish);
    const report = await erasures.run(organizationId, id, context.signal);
    if (report !== null) return { text: reportText(report), data: { id, state: 'done', report } };
    const { state } = await erasures.get(organizationId, id);
    return { text: `The server works on this erasure (${id}).`, data: { id, state } };
  });
