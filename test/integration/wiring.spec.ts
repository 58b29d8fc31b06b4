import { Module, type Type } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import type { DataSource } from 'typeorm';
import { AssistantCallsModule, RunExecutorModule } from '../../src/answering';
import { PublicationRulesModule } from '../../extensions/evaluations';
import { LegacyModule } from '../../extensions/lti/legacy';
import { AppModule } from '../../src/app.module';
import { LinkedAssistantsModule } from '../../src/assistants';
import { MetadataMigratorModule } from '../../src/migration';
import { EXTENSIONS, loadConfig } from '../../src/infrastructure/config';
import { DATABASE } from '../../src/infrastructure/database';
import { openTestDatabase, ownedDatabase } from '../support/database';

@Module({})
class BindsNothing {}

describe('a module that needs a higher one', () => {
  let dataSource: DataSource;
  beforeAll(async () => {
    dataSource = await openTestDatabase();
  });
  afterAll(() => dataSource.destroy());

  const boot = (without?: Type, extensions = 'all'): Promise<unknown> => {
    const config = loadConfig({ LOG_LEVEL: 'fatal', BELLWETHER_EXTENSIONS: extensions }, null);
    const builder = Test.createTestingModule({ imports: [AppModule.of(config, { schema: 'skip' })] })
      .overrideProvider(DATABASE)
      .useValue({ ...ownedDatabase(dataSource), close: () => Promise.resolve() });
    return (without === undefined ? builder : builder.overrideModule(without).useModule(BindsNothing)).compile();
  };

  it('starts when every token is bound', async () => {
    await expect(boot()).resolves.toBeDefined();
  });

  it.each([
    [LinkedAssistantsModule, 'LINKED_ASSISTANTS'],
    [MetadataMigratorModule, 'METADATA_MIGRATOR'],
    [AssistantCallsModule, 'ASSISTANT_ABILITY'],
    [RunExecutorModule, 'RUN_EXECUTOR'],
    [PublicationRulesModule, 'PUBLICATION_RULES'],
  ])('does not start without %p', async (module, token) => {
    await expect(boot(module)).rejects.toThrow(token);
  });

  it('starts LTI 1.3 without LTI 1.1 and the links of LAMB', async () => {
    await expect(boot(LegacyModule, 'lti')).resolves.toBeDefined();
  });

  it.each(EXTENSIONS)('starts with the extension %s alone', async (extension) => {
    await expect(boot(undefined, extension === 'lamb-import' ? 'lti,lamb-import' : extension)).resolves.toBeDefined();
  });
});
