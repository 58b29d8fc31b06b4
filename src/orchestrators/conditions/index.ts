export * from './condition-grammar';
export { compileCondition, Conditions } from './conditions';
