export { assembleMessages } from './assemble-messages';
export * from './contract';
export { ProcessorCatalogue } from './processor-catalogue';
export { ProcessorsModule } from './processors.module';
export { processorPlugins } from './processor-plugins';
