/**
 * What the overview is drawn without, as one script: the tools around a page, and all other pages. Those are
 * loaded one by one, but what many of them share is here, rather than in forty small files.
 */
import '../components/confirm.tsx';
import '../components/copy-field.tsx';
import '../components/form.tsx';
import '../components/job-progress.tsx';
import '../components/list.tsx';
import '../components/select.tsx';

export { CodeDialog } from './code-dialog.tsx';
export { HeaderTools } from './header-tools.tsx';
export { Navigation } from './navigation.tsx';
export { loadPageOf, Pages } from './pages.tsx';
export { Toasts } from './toasts.tsx';
