import { Inject, Injectable } from '@nestjs/common';
import { BucketCheck } from '../../files';
import { VectorStore } from '../../knowledge-bases';
import { CONFIG, type Config } from '../../infrastructure/config';
import { DATABASE, type OpenDatabase } from '../../infrastructure/database';
import {
  checkAddress,
  checkClock,
  checkDatabase,
  checkDisk,
  checkRowSecurity,
  checkSecrets,
  checkVectors,
  checkVersions,
} from '../../infrastructure/findings';
import { SecretsService } from '../../infrastructure/secrets';
import { Figures } from '../figures/installation-figures.service';
import type { Check } from './check.types';
import { checkQueues } from './queue-checks';

/** Checks with the same result in every process: database, disk and settings. */
@Injectable()
export class InstallationChecks {
  readonly checks: readonly Check[];

  constructor(
    @Inject(CONFIG) { http, database: { dataDir } }: Config,
    @Inject(DATABASE) database: OpenDatabase,
    figures: Figures,
    secrets: SecretsService,
    vectors: VectorStore,
    bucket: BucketCheck,
  ) {
    this.checks = [
      { name: 'database', make: () => checkDatabase(database) },
      { name: 'clock', make: () => checkClock(database) },
      { name: 'vectors', make: () => checkVectors(database, vectors.available) },
      { name: 'row_security', make: () => checkRowSecurity(database.rowSecurity) },
      { name: 'queue', make: async () => checkQueues((await figures.latest())?.queues ?? null) },
      { name: 'disk', make: () => checkDisk(dataDir) },
      { name: 'bucket', make: () => bucket.check() },
      { name: 'secrets', make: async () => checkSecrets(await secrets.status()) },
      { name: 'address', make: () => checkAddress(http.publicUrl) },
      { name: 'versions', make: () => checkVersions() },
    ];
  }
}
