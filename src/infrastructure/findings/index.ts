/** Findings about an installation, in words, for the page "Health" and the command `doctor`. */
export { checkClock, checkDatabase, checkVectors } from './findings';
export { checkDisk } from './findings';
export { type DoctorCheck, type Finding, HEALTH_STATES, type HealthState, worstOf } from './findings';
export { finding } from './findings';
export { checkAddress, checkRowSecurity, checkSecrets, checkVersions } from './findings';
