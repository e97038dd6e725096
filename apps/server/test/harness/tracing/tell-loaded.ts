import { readFileSync } from 'node:fs';
import { plugin } from 'bun';

/**
 * Loaded into a service before all else: says which files of the tracing libraries it loads. Their `api`,
 * which does nothing by itself, is prom-client's as well.
 */
plugin({
  name: 'tell-loaded',
  setup(build) {
    build.onLoad({ filter: /node_modules\/@opentelemetry\/(?!api\/)/ }, ({ path }) => {
      process.stderr.write(`loaded ${path}\n`);
      return { contents: readFileSync(path, 'utf8'), loader: 'js' };
    });
  },
});
