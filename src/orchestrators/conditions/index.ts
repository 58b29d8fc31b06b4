export { type ConditionCheck, Conditions, type ResultReference, checkCondition, compileCondition } from './conditions';
