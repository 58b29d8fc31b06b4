export { type ModeSearchConfig, modeSearchDefinition, ModeSearchTool } from './mode-search';
export { searchCaching } from './search-caching';
export {
  chosenCollections,
  collectionGaps,
  searchCollections,
  type SearchRetrieval,
  tellSearch,
} from './search-collections';
export {
  advanced,
  COLLECTION_PROPERTIES,
  PASSAGE_PROPERTIES,
  type SearchSettings,
  searchOutputLimit,
} from './search-settings';
