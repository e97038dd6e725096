import { PageHead } from '../../parts/page-head.tsx';

export const Restore = () => <PageHead title="Restore" />;
