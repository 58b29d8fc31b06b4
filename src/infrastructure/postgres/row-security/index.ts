export * from './enforce';
export * from './reach';
export { ORGANIZATION_SETTING, SERVICE_ROLE, TENANT_ROLE } from './roles';
export { JOB_SCHEMA } from './tables';
