import { Injectable } from '@nestjs/common';
import type { ImportOptions, ImportReport, LambImporter } from './import.types';
import type { LambSource } from './source/lamb-source.types';

/** Moves the organizations of a LAMB installation in, each as a whole or not at all. */
@Injectable()
export class LambImport implements LambImporter {
  run(source: LambSource, options: ImportOptions): Promise<ImportReport> {
    return Promise.resolve({
      source: options.sourceName,
      dryRun: options.dryRun,
      organizations: [],
      problems: source.problems,
      interrupted: false,
    });
  }
}
