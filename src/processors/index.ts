export * from './contract';
export { ProcessorCatalogue } from './processor-catalogue';
export { ProcessorsModule } from './processors.module';
export { processorsOver } from './processor-plugins';
