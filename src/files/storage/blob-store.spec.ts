import { loadConfig } from '../../infrastructure/config';
import { BlobFolders } from '../places/blob-folders';
import { DiskStorage } from '../places/disk-storage';
import { BlobStore } from './blob-store';

const config = loadConfig({}, []);
const store = new BlobStore([new DiskStorage(config, new BlobFolders(config))], config);

it('says so when a file is in a bucket that is not configured', async () => {
  await expect(store.read(['files', 'o', 'p'], 's3-1', 10)).rejects.toMatchObject({
    code: 'unavailable',
    detail: 'The file is in a bucket, but S3_BUCKET is not set',
  });
});

it.each(['../x', 's3-../x', 'a/b', ''])('takes %j for no storage name', async (name) => {
  await expect(store.remove(['files', 'o', 'p'], name)).rejects.toThrow();
});
