import type { MigrationInterface } from 'typeorm';
import { BaselineOrganizations1700000000001 } from './1700000000001-BaselineOrganizations';
import { BaselineInfrastructure1700000000002 } from './1700000000002-BaselineInfrastructure';
import { BaselineAuth1700000000003 } from './1700000000003-BaselineAuth';
import { BaselineMetering1700000000004 } from './1700000000004-BaselineMetering';
import { BaselineRuns1700000000005 } from './1700000000005-BaselineRuns';
import { BaselineFiles1700000000006 } from './1700000000006-BaselineFiles';
import { BaselineTools1700000000007 } from './1700000000007-BaselineTools';
import { BaselineRubrics1700000000008 } from './1700000000008-BaselineRubrics';
import { BaselineKnowledgeBases1700000000009 } from './1700000000009-BaselineKnowledgeBases';
import { BaselineAssistants1700000000010 } from './1700000000010-BaselineAssistants';
import { BaselineOrchestrators1700000000011 } from './1700000000011-BaselineOrchestrators';
import { BaselineMigration1700000000012 } from './1700000000012-BaselineMigration';
import { BaselinePrivacy1700000000013 } from './1700000000013-BaselinePrivacy';
import { BaselineChat1700000000014 } from './1700000000014-BaselineChat';
import { BaselineRunsApi1700000000015 } from './1700000000015-BaselineRunsApi';
import { BaselineHealth1700000000016 } from './1700000000016-BaselineHealth';
import { BaselineLti1700000000017 } from './1700000000017-BaselineLti';
import { BaselineScim1700000000018 } from './1700000000018-BaselineScim';
import { BaselineLambImport1700000000019 } from './1700000000019-BaselineLambImport';
import { BaselineEvaluations1700000000020 } from './1700000000020-BaselineEvaluations';
import { RunSegments1700000000021 } from './1700000000021-RunSegments';
import { JoinLinks1700000000022 } from './1700000000022-JoinLinks';

/**
 * Every migration, in the order in which a new database applies them. TypeORM orders them by the 13 digits at the end of
 * their names: a counter, not a time. A new one goes to the end and takes the next number: docs/contributing/database.md.
 */
export const migrations: (new () => MigrationInterface)[] = [
  BaselineOrganizations1700000000001,
  BaselineInfrastructure1700000000002,
  BaselineAuth1700000000003,
  BaselineMetering1700000000004,
  BaselineRuns1700000000005,
  BaselineFiles1700000000006,
  BaselineTools1700000000007,
  BaselineRubrics1700000000008,
  BaselineKnowledgeBases1700000000009,
  BaselineAssistants1700000000010,
  BaselineOrchestrators1700000000011,
  BaselineMigration1700000000012,
  BaselinePrivacy1700000000013,
  BaselineChat1700000000014,
  BaselineRunsApi1700000000015,
  BaselineHealth1700000000016,
  BaselineLti1700000000017,
  BaselineScim1700000000018,
  BaselineLambImport1700000000019,
  BaselineEvaluations1700000000020,
  RunSegments1700000000021,
  JoinLinks1700000000022,
];
