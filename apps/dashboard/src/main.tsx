import './app/style.css';
import { createRoot } from 'react-dom/client';
import { App } from './app/app.tsx';

const place = document.getElementById('app');
if (!place) throw new Error('The page has no place for the dashboard');
createRoot(place).render(<App />);
