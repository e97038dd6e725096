import { fileURLToPath } from 'node:url';
import { type Asset, makeAsset } from '../../../http/assets.ts';

/** The check page's script with what it stands on, in one small file. */
export const buildCheckScript = async (): Promise<Asset> => {
  const built = await Bun.build({
    entrypoints: [fileURLToPath(new URL('./check.ts', import.meta.url))],
    target: 'browser',
    minify: true,
  });
  const [script] = built.outputs;
  if (!script) throw new Error("The check page's script could not be built");
  return makeAsset('text/javascript', await script.text());
};
