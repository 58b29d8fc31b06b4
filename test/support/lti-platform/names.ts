/** Names of the specifications: LTI Core 1.3, Deep Linking 2.0, NRPS 2.0, AGS 2.0, Dynamic Registration 1.0. */
const LTI = 'https://purl.imsglobal.org/spec/lti/claim';
const DEEP_LINK = 'https://purl.imsglobal.org/spec/lti-dl/claim';
const AGS = 'https://purl.imsglobal.org/spec/lti-ags';
const ROLE = 'http://purl.imsglobal.org/vocab/lis/v2';

export const CLAIM = {
  messageType: `${LTI}/message_type`,
  version: `${LTI}/version`,
  deploymentId: `${LTI}/deployment_id`,
  targetLinkUri: `${LTI}/target_link_uri`,
  resourceLink: `${LTI}/resource_link`,
  context: `${LTI}/context`,
  roles: `${LTI}/roles`,
  custom: `${LTI}/custom`,
  toolPlatform: `${LTI}/tool_platform`,
  launchPresentation: `${LTI}/launch_presentation`,
  lti1p1: `${LTI}/lti1p1`,
  deepLinkingSettings: `${DEEP_LINK}/deep_linking_settings`,
  contentItems: `${DEEP_LINK}/content_items`,
  deepLinkingData: `${DEEP_LINK}/data`,
  deepLinkingMessage: `${DEEP_LINK}/msg`,
  roster: 'https://purl.imsglobal.org/spec/lti-nrps/claim/namesroleservice',
  grades: `${AGS}/claim/endpoint`,
} as const;

export const SCOPE = {
  roster: 'https://purl.imsglobal.org/spec/lti-nrps/scope/contextmembership.readonly',
  lineItem: `${AGS}/scope/lineitem`,
  lineItemRead: `${AGS}/scope/lineitem.readonly`,
  score: `${AGS}/scope/score`,
  result: `${AGS}/scope/result.readonly`,
} as const;

export const MEDIA = {
  roster: 'application/vnd.ims.lti-nrps.v2.membershipcontainer+json',
  lineItem: 'application/vnd.ims.lis.v2.lineitem+json',
  lineItems: 'application/vnd.ims.lis.v2.lineitemcontainer+json',
  score: 'application/vnd.ims.lis.v1.score+json',
  results: 'application/vnd.ims.lis.v2.resultcontainer+json',
} as const;

export const CONFIGURATION = {
  platform: 'https://purl.imsglobal.org/spec/lti-platform-configuration',
  tool: 'https://purl.imsglobal.org/spec/lti-tool-configuration',
} as const;

export const ROLES = {
  learner: `${ROLE}/membership#Learner`,
  instructor: `${ROLE}/membership#Instructor`,
  assistantTeacher: `${ROLE}/membership/Instructor#TeachingAssistant`,
  administrator: `${ROLE}/institution/person#Administrator`,
} as const;
