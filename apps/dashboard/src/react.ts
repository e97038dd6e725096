/** A script of its own that runs before `main.tsx`: two short tasks keep a phone more responsive than a long one. */
import 'react';
import 'react-dom/client';
