export * from './condition-grammar';
export { Conditions } from './conditions';
