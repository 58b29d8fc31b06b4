export type { Reply } from './http';
export { launch, presented } from './launching';
export { LtiPlatform, type Selection, type ToolAddresses } from './lms';
export { COURSE, type LmsLink, type LmsMessage, type LmsPerson, STUDENT, TEACHER } from './messages';
export { CLAIM, CONFIGURATION, MEDIA, ROLES, SCOPE } from './names';
export { formOf, type PostedForm } from './pages';
