import { PageHead } from '../../parts/page-head.tsx';

export const Pull = () => <PageHead title="Pull" />;
