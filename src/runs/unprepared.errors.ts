import { AppError } from '@bellwether/kernel';
import type { RunReport } from './report.types';

/** A prompt that could not be filled, with the report of what the tools did until then. */
export class Unprepared extends AppError {
  constructor(
    cause: AppError,
    readonly report: RunReport,
  ) {
    const { code, detail, problems, retryAfter, vendor, usage } = cause;
    super(code, detail, {
      cause,
      problems,
      usage,
      ...(retryAfter === undefined ? {} : { retryAfter }),
      ...(vendor === undefined ? {} : { vendor }),
    });
  }
}
