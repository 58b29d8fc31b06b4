/**
 * The migrations of the first builds, which the baselines replaced in November 2026. A database that has them all has the
 * tables of the baselines. Its rows keep their names, so that builds of that time serve beside newer ones.
 */
export const EARLIER_MIGRATIONS: readonly string[] = `
  CreateOrganizations1795302000000 CreateAssistants1795302001000 CreateContent1795302002000 CreateRuns1795302003000
  AddPassagePlaces1795370000000 AddJobs1795370001000 AddEmbeddings1795370002000 BlockPostings1795370003000
  KeepAnsweringFiles1795370005000 NestRuns1795460000000 AddStanding1795460001000 SortPostingBlocks1795470000000
  KeepRunLogs1795500000000 CountToolCalls1795500001000 RememberPlans1795500002000 MigrateMetadata1795600000000
  RememberOrigins1795600001000 AddSessions1795700000000 CountVersions1795800000000 BindCollections1796002000001
  KeepFileTexts1796003000000 CountAssistantCalls1796005000000 KeepOutcomes1796006000001
  IndexVisibleAssistants1796006000002 RetryRuns1796006000003 KeepTableHeaders1796007000000
  AddSingleSignOn1796100000000 ScopeIdentities1796110000000 AddGroups1796200000000 ChainAuditEntries1796210000000
  MeterUsage1796210000000 ShareWithGroups1796220000000 KeepPassages1796225000000 AddErasures1796300000000
  LimitSignIns1796310000000 AddScim1796320000000 AddConversations1796400000000 DescribeRuns1796410000000
  KeepDraftsApart1796420000000 InviteMembers1796430000000 AddConnectionHealth1796440000000 AddLti1796500000000
  AddLtiGrades1796510000000 AddLtiSelections1796510000001 NameImportedAssistants1796520000000
  LimitKeysToPublished1796521000000 ImportLtiActivities1796522000000 AddSources1796530000000
  AliasKnowledgeBases1796530001000 EndOrganizations1796540000000 TraceRequests1796550000000
  LimitInvitations1796550100000 AddLtiBridge1796560000000 BranchConversations1796600000000
  CodeTextFailures1796602000000 AddCourseActivities1796611000000 RegisterPlatforms1796611000001
  TakePasswordsOver1796612000000 AddInstallationFigures1796620000000 UnderstandQuestions1796630000000
  KeepNotices1796630100000 IndexLists1796630200000 IndexAssistantNames1796630300000 IndexAssistantTexts1796630400000
  RerankPassages1796700000000 JudgePassages1796700100000 LabelPages1796710000000 AddReceipts1796730000000
  AddReplays1796730100000 AddAssistantTests1796740000000 KeepExternalIds1796810000000 CountLostStarts1796820000000
  AddAppliedWrites1796840000000 FindPlatformsByAddress1796869000000 PairLaunchCodes1796869100000`
  .trim()
  .split(/\s+/);

/** The last commit that has them. */
export const LAST_OF_EARLIER = '7a8df64c';

/** One of the migrations that make the tables of a module. They are never reverted. */
export const isBaseline = (name: string): boolean => /^Baseline(?=[A-Z])/.test(name);
