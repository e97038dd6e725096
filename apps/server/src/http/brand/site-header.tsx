/** @jsxImportSource hono/jsx */
import { raw } from 'hono/html';
import { inlineMark } from './mark.ts';

const places = [
  ['/guides', 'Guides'],
  ['/docs', 'API'],
  ['/dashboard', 'Dashboard'],
] as const;

/** The same above everything there is to read. */
export const SiteHeader = ({ current }: { current?: '/guides' | '/docs' }) => (
  <header>
    <a class="home" href="/">
      {raw(inlineMark)}
      Holdfast
    </a>
    <nav aria-label="Main">
      {places.map(([path, label]) => (
        <a href={path} aria-current={path === current ? 'page' : undefined}>
          {label}
        </a>
      ))}
    </nav>
  </header>
);
