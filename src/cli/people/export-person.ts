import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { OrganizationsService } from '../../organizations';
import type { Config } from '../../infrastructure/config';
import { exportToFolder, PersonExports, zipStream } from '../../privacy';
import { withApplication } from '../context';
import type { CommandContext, CommandResult } from '../../infrastructure/commands';

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
