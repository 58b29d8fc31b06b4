export { constructPlugins, type Doubles } from './construct-plugins';
