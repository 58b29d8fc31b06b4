export * from './contract';
export { ProcessorCatalogue, processorsOver } from './processor-catalogue';
export { ProcessorsModule } from './processors.module';
