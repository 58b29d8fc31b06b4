import { openKbData } from '@bellwether/lamb-reader';
import { isKbClean, kbReportJson, kbReportText } from '../knowledge/kb-report';
import { LambKbImport } from '../knowledge/lamb-kb-import.service';
import { BadUsage, type CommandContext, type CommandResult } from '../../../src/infrastructure/commands';

export interface LambKbOptions {
  readonly dryRun?: boolean;
  readonly source: string;
  readonly organization?: string;
  readonly unownedTo?: string;
}

function unownedOf({ organization, unownedTo: email }: LambKbOptions) {
  if (organization === undefined && email === undefined) return null;
  if (organization === undefined || email === undefined) {
    throw new BadUsage('--organization and --unowned-to: name both or none');
  }
  return { organization, email };
}

export async function importLambKb(
  options: LambKbOptions,
  { args, progress, signal, withApplication }: CommandContext,
): Promise<CommandResult> {
  const unowned = unownedOf(options);
  // Opened first: an unreadable file needs no database.
  const data = openKbData(args[0] ?? '');
  const chosen = { sourceName: options.source, dryRun: options.dryRun === true, unowned, progress, signal };
  return withApplication(async (application) => {
    const report = await application.get(LambKbImport).run(data, chosen);
    return { text: kbReportText(report), data: kbReportJson(report), ok: isKbClean(report) };
  });
}
