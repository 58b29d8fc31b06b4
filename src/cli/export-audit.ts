import { open } from 'node:fs/promises';
import { AuditExport, EXPORT_FORMATS, type ExportFormat } from '../audit';
import { OrganizationsService } from '../organizations';
import type { Config } from '../infrastructure/config';
import { withApplication } from './context';
import { BadUsage, type CommandContext, type CommandResult } from '../infrastructure/commands';

export interface ExportOptions {
  readonly org: string;
  readonly from?: string;
  readonly to?: string;
  readonly format: string;
  readonly out?: string;
}

const ISO_TIME = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2}))?$/;

/** @throws {BadUsage} with every problem */
function checked({ from, to, format }: ExportOptions): ExportFormat {
  const isTime = (text: string | undefined): boolean =>
    text === undefined || (ISO_TIME.test(text) && !Number.isNaN(Date.parse(text)));
  const problems = [
    ...(isTime(from) ? [] : ['--from must be a date or time of ISO 8601']),
    ...(isTime(to) ? [] : ['--to must be a date or time of ISO 8601']),
  ];
  const found = EXPORT_FORMATS.find((each) => each === format);
  if (found === undefined) problems.push(`--format must be one of ${EXPORT_FORMATS.join(', ')}`);
  if (from !== undefined && to !== undefined && Date.parse(from) >= Date.parse(to)) {
    problems.push('--to must be later than --from');
  }
  if (problems.length > 0 || found === undefined) throw new BadUsage(problems.join('\n'));
  return found;
}

/** `audit:export`: batch by batch, so the log may be larger than the memory. */
export async function exportAudit(
  config: Config,
  options: ExportOptions,
  { signal, progress }: CommandContext,
): Promise<CommandResult> {
  const format = checked(options);
  const { org, from, to, out = `audit-${org}.${format}` } = options;
  return withApplication(config, 'institution', async (context) => {
    const id = await context.get(OrganizationsService).idOf(org);
    const filters = { ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) };
    const file = await open(out, 'w', 0o600);
    let bytes = 0;
    try {
      for await (const text of context.get(AuditExport).texts(id, filters, format)) {
        if (signal.aborted) return { text: `Stopped: ${out} is not complete.`, data: { file: out }, ok: false };
        await file.appendFile(text);
        bytes += Buffer.byteLength(text);
        progress.report({ done: bytes, total: null, text: 'bytes written' });
      }
    } finally {
      await file.close();
    }
    return { text: `Wrote ${out}: ${bytes} bytes.`, data: { file: out, bytes } };
  });
}
