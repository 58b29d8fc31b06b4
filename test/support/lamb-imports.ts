import type { DataSource } from 'typeorm';
import {
  type ImportedOrganization,
  LambImport,
  type ImportOptions,
  type ImportReport,
} from '../../extensions/lamb-import';
import { OrganizationsService } from '../../src/organizations';
import { startApp, type TestApp } from './app';
import { openTestDatabase } from './database';
import { importOptions, onlyOrganization, sourceOf, type SourceParts } from './lamb-source';

/** An app that imports, and a session of its database, for all tests of a file. */
export function lambImports() {
  let app: TestApp;
  let dataSource: DataSource;
  beforeAll(async () => {
    app = await startApp();
    dataSource = await openTestDatabase();
  });
  afterAll(async () => {
    await dataSource.destroy();
    await app.stop();
  });

  const rows = <T>(sql: string, parameters: unknown[] = []): Promise<T[]> => dataSource.query(sql, parameters);
  const run = (parts: SourceParts, changes: Partial<ImportOptions> = {}): Promise<ImportReport> =>
    app.get(LambImport).run(sourceOf(parts), importOptions(changes));
  return {
    rows,
    run,
    app: () => app,
    runOne: async (parts: SourceParts, changes?: Partial<ImportOptions>): Promise<ImportedOrganization> =>
      onlyOrganization(await run(parts, changes)),
    runtimeOf: async (slug: string) => {
      const [row] = await rows<{ id: string }>('SELECT id FROM organizations WHERE slug = $1', [slug]);
      return app.get(OrganizationsService).runtime(row?.id ?? '');
    },
  };
}
