import { AddAppliedWrites1796840000000 } from './1796840000000-AddAppliedWrites';
import { IndexAssistantNames1796630300000 } from './1796630300000-IndexAssistantNames';
import { KeepExternalIds1796810000000 } from './1796810000000-KeepExternalIds';
import { LabelPages1796710000000 } from './1796710000000-LabelPages';
import { IndexAssistantTexts1796630400000 } from './1796630400000-IndexAssistantTexts';
import { RerankPassages1796700000000 } from './1796700000000-RerankPassages';
import { JudgePassages1796700100000 } from './1796700100000-JudgePassages';
import { IndexLists1796630200000 } from './1796630200000-IndexLists';
import { RegisterPlatforms1796611000001 } from './1796611000001-RegisterPlatforms';
import { CodeTextFailures1796602000000 } from './1796602000000-CodeTextFailures';
import { AddCourseActivities1796611000000 } from './1796611000000-AddCourseActivities';
import { ImportLtiActivities1796522000000 } from './1796522000000-ImportLtiActivities';
import { AddLtiSelections1796510000001 } from './1796510000001-AddLtiSelections';
import { AddLtiGrades1796510000000 } from './1796510000000-AddLtiGrades';
import { LimitKeysToPublished1796521000000 } from './1796521000000-LimitKeysToPublished';
import { NameImportedAssistants1796520000000 } from './1796520000000-NameImportedAssistants';
import { AddLti1796500000000 } from './1796500000000-AddLti';
import { AddLtiBridge1796560000000 } from './1796560000000-AddLtiBridge';
import { InviteMembers1796430000000 } from './1796430000000-InviteMembers';
import { BranchConversations1796600000000 } from './1796600000000-BranchConversations';
import { LimitInvitations1796550100000 } from './1796550100000-LimitInvitations';
import { TraceRequests1796550000000 } from './1796550000000-TraceRequests';
import { AddScim1796320000000 } from './1796320000000-AddScim';
import { AddConnectionHealth1796440000000 } from './1796440000000-AddConnectionHealth';
import { ShareWithGroups1796220000000 } from './1796220000000-ShareWithGroups';
import { AddGroups1796200000000 } from './1796200000000-AddGroups';
import { AddSingleSignOn1796100000000 } from './1796100000000-AddSingleSignOn';
import { MeterUsage1796210000000 } from './1796210000000-MeterUsage';
import { KeepDraftsApart1796420000000 } from './1796420000000-KeepDraftsApart';
import { KeepPassages1796225000000 } from './1796225000000-KeepPassages';
import { AddErasures1796300000000 } from './1796300000000-AddErasures';
import { ScopeIdentities1796110000000 } from './1796110000000-ScopeIdentities';
import { LimitSignIns1796310000000 } from './1796310000000-LimitSignIns';
import type { MigrationInterface } from 'typeorm';
import { CreateOrganizations1795302000000 } from './1795302000000-CreateOrganizations';
import { CreateAssistants1795302001000 } from './1795302001000-CreateAssistants';
import { CreateContent1795302002000 } from './1795302002000-CreateContent';
import { ChainAuditEntries1796210000000 } from './1796210000000-ChainAuditEntries';
import { CreateRuns1795302003000 } from './1795302003000-CreateRuns';
import { AddPassagePlaces1795370000000 } from './1795370000000-AddPassagePlaces';
import { AddJobs1795370001000 } from './1795370001000-AddJobs';
import { AddConversations1796400000000 } from './1796400000000-AddConversations';
import { AddEmbeddings1795370002000 } from './1795370002000-AddEmbeddings';
import { BlockPostings1795370003000 } from './1795370003000-BlockPostings';
import { KeepAnsweringFiles1795370005000 } from './1795370005000-KeepAnsweringFiles';
import { NestRuns1795460000000 } from './1795460000000-NestRuns';
import { AddStanding1795460001000 } from './1795460001000-AddStanding';
import { SortPostingBlocks1795470000000 } from './1795470000000-SortPostingBlocks';
import { CountToolCalls1795500001000 } from './1795500001000-CountToolCalls';
import { KeepRunLogs1795500000000 } from './1795500000000-KeepRunLogs';
import { RememberPlans1795500002000 } from './1795500002000-RememberPlans';
import { RememberOrigins1795600001000 } from './1795600001000-RememberOrigins';
import { MigrateMetadata1795600000000 } from './1795600000000-MigrateMetadata';
import { AddSessions1795700000000 } from './1795700000000-AddSessions';
import { CountAssistantCalls1796005000000 } from './1796005000000-CountAssistantCalls';
import { CountVersions1795800000000 } from './1795800000000-CountVersions';
import { BindCollections1796002000001 } from './1796002000001-BindCollections';
import { KeepOutcomes1796006000001 } from './1796006000001-KeepOutcomes';
import { IndexVisibleAssistants1796006000002 } from './1796006000002-IndexVisibleAssistants';
import { KeepFileTexts1796003000000 } from './1796003000000-KeepFileTexts';
import { KeepTableHeaders1796007000000 } from './1796007000000-KeepTableHeaders';
import { RetryRuns1796006000003 } from './1796006000003-RetryRuns';
import { DescribeRuns1796410000000 } from './1796410000000-DescribeRuns';
import { AddSources1796530000000 } from './1796530000000-AddSources';
import { AliasKnowledgeBases1796530001000 } from './1796530001000-AliasKnowledgeBases';
import { EndOrganizations1796540000000 } from './1796540000000-EndOrganizations';
import { TakePasswordsOver1796612000000 } from './1796612000000-TakePasswordsOver';
import { UnderstandQuestions1796630000000 } from './1796630000000-UnderstandQuestions';
import { AddInstallationFigures1796620000000 } from './1796620000000-AddInstallationFigures';
import { KeepNotices1796630100000 } from './1796630100000-KeepNotices';
import { AddReceipts1796730000000 } from './1796730000000-AddReceipts';
import { AddAssistantTests1796740000000 } from './1796740000000-AddAssistantTests';
import { CountLostStarts1796820000000 } from './1796820000000-CountLostStarts';
import { AddReplays1796730100000 } from './1796730100000-AddReplays';
import { FindPlatformsByAddress1796869000000 } from './1796869000000-FindPlatformsByAddress';
import { PairLaunchCodes1796869100000 } from './1796869100000-PairLaunchCodes';

/**
 * Every migration, in the order in which a new database applies them: by the stamp at the end of the name. A new one
 * goes to the end, with a later stamp than the one before it: docs/contributing/database.md.
 */
export const migrations: (new () => MigrationInterface)[] = [
  CreateOrganizations1795302000000,
  CreateAssistants1795302001000,
  CreateContent1795302002000,
  CreateRuns1795302003000,
  AddPassagePlaces1795370000000,
  AddJobs1795370001000,
  AddEmbeddings1795370002000,
  BlockPostings1795370003000,
  KeepAnsweringFiles1795370005000,
  NestRuns1795460000000,
  AddStanding1795460001000,
  SortPostingBlocks1795470000000,
  KeepRunLogs1795500000000,
  CountToolCalls1795500001000,
  RememberPlans1795500002000,
  MigrateMetadata1795600000000,
  RememberOrigins1795600001000,
  AddSessions1795700000000,
  CountVersions1795800000000,
  BindCollections1796002000001,
  KeepFileTexts1796003000000,
  CountAssistantCalls1796005000000,
  KeepOutcomes1796006000001,
  IndexVisibleAssistants1796006000002,
  RetryRuns1796006000003,
  KeepTableHeaders1796007000000,
  AddSingleSignOn1796100000000,
  ScopeIdentities1796110000000,
  AddGroups1796200000000,
  ChainAuditEntries1796210000000,
  MeterUsage1796210000000,
  ShareWithGroups1796220000000,
  KeepPassages1796225000000,
  AddErasures1796300000000,
  LimitSignIns1796310000000,
  AddScim1796320000000,
  AddConversations1796400000000,
  DescribeRuns1796410000000,
  KeepDraftsApart1796420000000,
  InviteMembers1796430000000,
  AddConnectionHealth1796440000000,
  AddLti1796500000000,
  AddLtiGrades1796510000000,
  AddLtiSelections1796510000001,
  NameImportedAssistants1796520000000,
  LimitKeysToPublished1796521000000,
  ImportLtiActivities1796522000000,
  AddSources1796530000000,
  AliasKnowledgeBases1796530001000,
  EndOrganizations1796540000000,
  TraceRequests1796550000000,
  LimitInvitations1796550100000,
  AddLtiBridge1796560000000,
  BranchConversations1796600000000,
  CodeTextFailures1796602000000,
  AddCourseActivities1796611000000,
  RegisterPlatforms1796611000001,
  TakePasswordsOver1796612000000,
  AddInstallationFigures1796620000000,
  UnderstandQuestions1796630000000,
  KeepNotices1796630100000,
  IndexLists1796630200000,
  IndexAssistantNames1796630300000,
  IndexAssistantTexts1796630400000,
  RerankPassages1796700000000,
  JudgePassages1796700100000,
  LabelPages1796710000000,
  AddReceipts1796730000000,
  AddReplays1796730100000,
  AddAssistantTests1796740000000,
  KeepExternalIds1796810000000,
  CountLostStarts1796820000000,
  AddAppliedWrites1796840000000,
  FindPlatformsByAddress1796869000000,
  PairLaunchCodes1796869100000,
];
